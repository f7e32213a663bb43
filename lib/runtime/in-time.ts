import type { Context } from "aws-lambda";
import { withDeadline } from "../aws/deadline.ts";

/** Time to respond after AWS fails. The SDK may pause for a second before it notices. */
const answerMs = 1500;

/**
 * Fails the work of a request while there is still time to respond. If Lambda ended the function first, the caller
 * would get API Gateway's 502.
 *
 * @param context Gives the remaining time. If absent, there is no limit.
 * @param reserveMs The time to leave.
 */
export function inTime<Result>(
  context: Pick<Context, "getRemainingTimeInMillis"> | undefined,
  work: () => Promise<Result>,
  reserveMs = answerMs,
): Promise<Result> {
  if (context === undefined) return work();
  return withDeadline(context.getRemainingTimeInMillis() - reserveMs, work);
}
