"""The Streamlit app and the pictures of the tables."""
