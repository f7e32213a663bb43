/**
 * Replaces `node:process` in the functions' bundles. An import of the real module evaluates all of its getters, and
 * those of the standard streams take four milliseconds of a cold start.
 */
export const { env, versions } = process;

export default process;
