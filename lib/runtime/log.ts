import { ServiceError } from "../core/service-error.ts";
import { placesOf } from "./places.ts";

/**
 * Logs a fault only by its name and code, and by those of its causes. Messages and stacks of foreign errors may quote
 * the data sent to them, and a request may contain a private key. The logged request id of AWS helps to find further
 * details of a fault of AWS, and the logged places those of a fault in our own code.
 */
export function logFault(operation: string, error: unknown, details: object = {}): void {
  console.error({ operation, ...faultFields(error), ...details });
}

/** Logs a fault that did not make the request fail, in the same form as other faults. Raises no alarm. */
export function logWarning(operation: string, error: unknown, details: object = {}): void {
  console.warn({ operation, ...faultFields(error), ...details });
}

/** Marks signatures in the signer's log, so that a metric can count them. */
export const signatureMade = "signTransaction signed";

/** Logs that the signer has used a wallet's key. `note` names the order and the request id in CloudTrail. */
export function logSignature(note: object): void {
  console.info({ event: signatureMade, ...note });
}

/** Marks the messages of settled Solana orders in the log of executeOrders, so that a metric can count them. */
export const orderSettled = "executeOrders settled";

/**
 * Logs how many messages of a settled order were signed, and how many of them are in a block. Does not name the order.
 */
export function logLandings(counts: { path: string; signed: number; landed: number }): void {
  console.info({ event: orderSettled, ...counts });
}

/** Marks units of hosts in the logs of functions, so that a metric can add them up. */
export const hostsAsked = "hosts asked";

/**
 * Logs units that a function has spent on calls to hosts.
 *
 * @param broadcast Facts about an order that has just been sent, so that they need no line of their own.
 */
export function logHostUnits(operation: string, units: number, broadcast: object = {}): void {
  console.info({ event: hostsAsked, operation, units, ...broadcast });
}

/** Marks counts of Jupiter's answers in the logs of functions, so that metrics can add them up. */
export const jupiterAnswered = "jupiter answered";

/** Logs how many requests a function has sent to Jupiter, and how many of them got a 400 or a 429. */
export function logJupiter(
  operation: string,
  answers: { asked: number; refused: number; limited: number },
): void {
  console.info({ event: jupiterAnswered, operation, ...answers });
}

/** Marks postponed requests in the signer's log, so that a metric can count them. */
export const signaturePostponed = "signTransaction postponed";

/** Logs a request that the signer may sign later, usually because its order has just ended. */
export function logPostponement(note: object): void {
  console.info({ event: signaturePostponed, ...note });
}

/** Logs a request that a program's key forbids. No alarm counts it, because it ends the order of a program. */
export function logForbidden(note: object): void {
  console.info({ event: "signTransaction forbade", ...note });
}

/** Marks notices that a device did not get within a day in the log of notifyOwner, so that a metric can count them. */
export const noticeLost = "notifyOwner gave up";

/** Logs that a device was not reached within a day. Does not name the device. */
export function logLostNotice(): void {
  console.warn({ event: noticeLost });
}

/** Logs that a wallet's private key was sealed to the user's key, with the request id in CloudTrail. */
export function logExport(note: object): void {
  console.info({ event: "sealExport sealed", ...note });
}

/** Marks refused requests in the signer's log, so that an alarm can count them. */
export const signatureRefused = "signTransaction refused";

/** Logs a request that the signer must never sign. Raises an alarm, but is not a fault of the function. */
export function logRefusal(note: object): void {
  console.error({ event: signatureRefused, ...note });
}

/** Reports faults as errors. Reports an unreachable connection as a warning, which raises no alarm. */
export const reporter = (operation: string) => ({
  onFault: (error: unknown, details?: object) => logFault(operation, error, details),
  onMissed: (error: unknown, details: object) => logWarning(operation, error, details),
});

function faultFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const metadata = (error as { $metadata?: { requestId?: string; attempts?: number } }).$metadata;
  const code = error instanceof ServiceError ? error.code : undefined;
  const cause = error.cause instanceof Error ? faultFields(error.cause) : undefined;
  // Leaves out the places of errors that a code or AWS explains.
  const places = code === undefined && metadata === undefined ? placesOf(error) : undefined;
  return {
    error: error.name,
    code,
    cause,
    awsRequestId: metadata?.requestId,
    attempts: metadata?.attempts,
    ...places,
  };
}

/** Makes an error without a stack for a handler to throw, because Lambda logs the stacks of thrown errors. */
export function withoutStack(message: string): Error {
  return Object.assign(new Error(message), { stack: "" });
}
