import { GetParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import * as v from "valibot";
import { ServiceError } from "../core/service-error.ts";

/** Name of the SSM parameter with the key pair that proves pushes to browsers. Only notifyOwner may read it. */
export const pushKeyParameter = "/trading-terminal/push-key";

const text = v.pipe(v.string(), v.nonEmpty());

/** The key pair, in base64url, and a contact of the operators for push services: a mailto or https URL. */
const PushKeySchema = v.object({ subject: text, publicKey: text, privateKey: text });

export type PushKey = v.InferOutput<typeof PushKeySchema>;

/**
 * Reads the key pair for pushes. Undefined if operators have made none.
 *
 * @throws {ServiceError} if the parameter holds something else. The error quotes nothing of it.
 */
export async function readPushKey(client: Pick<SSMClient, "send">): Promise<PushKey | undefined> {
  try {
    const command = new GetParameterCommand({ Name: pushKeyParameter, WithDecryption: true });
    const { Parameter } = await client.send(command);
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), PushKeySchema), Parameter?.Value);
    if (read.success) return read.output;
  } catch (error) {
    if ((error as Error).name === "ParameterNotFound") return undefined;
    throw error;
  }
  throw new ServiceError("The parameter with the key for pushes is malformed", { code: "BAD_PUSH_KEY" });
}
