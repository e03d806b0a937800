"""What is done with recorded streams: store, timeline, verification, simulation, statistics, HTTP API, CLI."""
