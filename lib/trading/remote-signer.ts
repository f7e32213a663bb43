import type { Signer } from "./execute-orders.ts";
import { readSignAnswer, signPayload } from "./sign-payload.ts";

/** What the signer answered cannot be read. */
class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/**
 * A signer that is a function of its own. Whatever keeps it from answering may be over when the order is looked at again,
 * and then it answers what it recorded.
 *
 * @param call invokes the function and returns its result.
 * @param onFault receives what kept it from answering.
 */
export const remoteSigner =
  (call: (payload: unknown) => Promise<unknown>, onFault: (error: unknown) => void): Signer =>
  async (request) => {
    try {
      const answer = readSignAnswer(await call(signPayload(request)), request);
      if (answer !== undefined) return answer;
      throw new UnreadableAnswer();
    } catch (error) {
      onFault(error);
      return { later: "the signer does not answer" };
    }
  };
