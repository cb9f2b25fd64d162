mod inputs;
