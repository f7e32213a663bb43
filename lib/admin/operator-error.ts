/** Why a command was not done, in words for the operator. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
