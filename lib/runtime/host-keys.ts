import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as v from "valibot";
import {
  type HostKeys,
  keyCharacters,
  keyNames,
  type ToKeyedText,
  withKeys,
} from "../chains/hosts/keyed-text.ts";
import { ServiceError } from "../core/service-error.ts";
import { remembered } from "./remembered.ts";

/** The form of the SSM parameter. */
export const StoredHostKeys = v.pipe(
  v.string(),
  v.parseJson(),
  // Rejects lists, which valibot accepts as objects.
  v.check((keys) => !Array.isArray(keys)),
  v.record(v.pipe(v.string(), v.regex(keyNames)), v.pipe(v.string(), v.regex(keyCharacters))),
);

/** Time for which keys are used before they are read again, so that containers soon use replaced keys. */
const freshMs = 10 * 60_000;

/** Time limits of one attempt, so that a request whose keys must be read first still answers in time. */
const requestHandler = { connectionTimeout: 500, requestTimeout: 1000, throwOnRequestTimeout: true };

/**
 * Fills the keys of an SSM parameter into texts that name them. Reads the parameter at once, beside everything else
 * that the function loads, and again every ten minutes. While SSM does not answer, the last keys remain in use.
 *
 * @param parameter Name of the parameter. Empty if no text names a key.
 * @param onFault Receives the reason why keys cannot be read. It contains no key.
 */
export function openHostKeys(parameter: string, onFault: (error: unknown) => void): ToKeyedText {
  if (parameter === "") return (text) => text;
  const client = new SSMClient({ maxAttempts: 2, requestHandler });
  let last: HostKeys | undefined;
  const refresh = remembered(async () => {
    last = await readHostKeys(client, parameter);
    return last;
  }, freshMs);
  const noting = () =>
    refresh().catch((error: unknown) => {
      onFault(error);
      throw error;
    });
  const keys = async () => {
    const latest = noting();
    if (last === undefined) return latest;
    // Uses the last keys without waiting, because SSM may be slow or throttle.
    latest.catch(() => {});
    return last;
  };
  keys().catch(() => {});
  return withKeys(keys);
}

/** @throws {ServiceError} if the parameter does not hold keys. The error quotes nothing of it. */
export async function readHostKeys(client: Pick<SSMClient, "send">, parameter: string): Promise<HostKeys> {
  const { Parameter } = await client.send(new GetParameterCommand({ Name: parameter, WithDecryption: true }));
  const read = v.safeParse(StoredHostKeys, Parameter?.Value);
  if (!read.success)
    throw new ServiceError("The parameter with the keys of hosts is malformed", { code: "BAD_HOST_KEYS" });
  return read.output;
}
