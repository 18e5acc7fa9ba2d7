"""What ``tdcert analyze`` adds for whoever has to choose: schedules compared, warnings, runs on the model itself."""
