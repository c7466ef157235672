"""The paper's section 3.2 with language models: frames described, graphs, sentences and events made of the words."""
