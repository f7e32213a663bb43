import fc from "fast-check";

// Each property is tried with 40 random inputs, or 400 at night, unless it names a number itself.
fc.configureGlobal({ numRuns: process.env.FULL === undefined ? 40 : 400 });
