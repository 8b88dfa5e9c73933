"""Real search engines and recommenders as systems that rankwell measures; each file shows one."""
