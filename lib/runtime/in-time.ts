import type { Context } from "aws-lambda";
import { withDeadline } from "../aws/deadline.ts";

/**
 * Time reserved for responding after a call to AWS fails. The SDK may pause for a second before it notices the failure.
 */
const answerMs = 1500;

/**
 * Makes the work of a request fail while there is still time to respond. If Lambda ended the function first, the caller
 * would get API Gateway's 502.
 *
 * @param context Gives the remaining time. If absent, there is no limit.
 * @param reserveMs The time to leave for responding.
 */
export function inTime<Result>(
  context: Pick<Context, "getRemainingTimeInMillis"> | undefined,
  work: () => Promise<Result>,
  reserveMs = answerMs,
): Promise<Result> {
  if (context === undefined) return work();
  return withDeadline(context.getRemainingTimeInMillis() - reserveMs, work);
}
