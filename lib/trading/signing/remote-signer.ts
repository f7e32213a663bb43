import { ServiceError } from "../../core/service-error.ts";
import type { Signer } from "../execution/execute-orders.ts";
import { readSignAnswer, signPayload } from "./sign-payload.ts";

/**
 * Signs by invoking a separate function. After a failure, the order is tried again later, and the signer then returns
 * the bytes that it has recorded.
 *
 * @param call invokes the function and returns its result.
 * @param onFault receives the error that prevented an answer.
 */
export const remoteSigner =
  (call: (payload: unknown) => Promise<unknown>, onFault: (error: unknown) => void): Signer =>
  async (request) => {
    try {
      const answer = readSignAnswer(await call(signPayload(request)), request);
      if (answer !== undefined) return answer;
      throw new ServiceError("The signer's answer cannot be read", { code: "UNREADABLE_ANSWER" });
    } catch (error) {
      onFault(error);
      return { later: "the signer does not answer" };
    }
  };
