/**
 * The one stage of each API. Written out where a reference to the stage would go in a circle: a stage comes after its
 * methods, those after the authorizer, and that after whatever its function's environment refers to.
 */
export const stageName = "live";
