import {
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetUsagePlanKeyCommand,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from "@aws-sdk/client-api-gateway";
import { given, isTagged, tagsOf, type UsagePlans, unlessGone } from "./usage-plans.ts";

/** A user's key in API Gateway. `name` omits the prefix. */
export type ApiKey = { id: string; name: string; tagged: boolean };

/** Creates a key with this name, unless it exists already. Returns its id. */
export async function createApiKey(
  plans: UsagePlans,
  { name, value }: { name: string; value: string },
): Promise<string> {
  try {
    const { id } = await plans.client.send(
      new CreateApiKeyCommand({ name: plans.prefix + name, value, enabled: true, tags: tagsOf(plans) }),
    );
    return given(id);
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
    for await (const { id } of keysNamed(plans, name)) return id;
    throw error;
  }
}

/**
 * Puts a key on a plan. Returns false if the key is on another plan.
 *
 * @throws {NotFoundException} if the key or the plan does not exist.
 */
export async function attachKey(plans: UsagePlans, planId: string, keyId: string): Promise<boolean> {
  try {
    await plans.client.send(
      new CreateUsagePlanKeyCommand({ usagePlanId: planId, keyId: keyId, keyType: "API_KEY" }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
    return isAttached(plans, planId, keyId);
  }
}

export async function isAttached({ client }: UsagePlans, planId: string, keyId: string): Promise<boolean> {
  const call = client.send(new GetUsagePlanKeyCommand({ usagePlanId: planId, keyId: keyId }));
  return (await unlessGone(call)) !== undefined;
}

export async function deleteApiKey({ client }: UsagePlans, keyId: string): Promise<void> {
  await unlessGone(client.send(new DeleteApiKeyCommand({ apiKey: keyId })));
}

export async function deleteKeyNamed(plans: UsagePlans, name: string): Promise<void> {
  for await (const { id } of keysNamed(plans, name)) await deleteApiKey(plans, id);
}

/** Lists the keys whose names begin with the prefix. The account may have other keys. */
export async function* keysWithPrefix(plans: UsagePlans): AsyncGenerator<ApiKey> {
  yield* listKeys(plans, {});
}

/** Lists the keys on a plan, with their full names. */
export async function* keysOnPlan(
  { client }: UsagePlans,
  planId: string,
): AsyncGenerator<Pick<ApiKey, "id" | "name">> {
  for await (const { items = [] } of paginateGetUsagePlanKeys(
    { client },
    { usagePlanId: planId, limit: 500 },
  ))
    for (const { id, name = "" } of items) yield { id: given(id), name };
}

async function* keysNamed(plans: UsagePlans, name: string): AsyncGenerator<ApiKey> {
  for await (const key of listKeys(plans, { nameQuery: plans.prefix + name }))
    if (key.name === name) yield key;
}

async function* listKeys(plans: UsagePlans, query: { nameQuery?: string }): AsyncGenerator<ApiKey> {
  const { client, prefix } = plans;
  for await (const { items = [] } of paginateGetApiKeys({ client }, { ...query, limit: 500 }))
    for (const { id, name, tags } of items)
      if (name?.startsWith(prefix))
        yield { id: given(id), name: name.slice(prefix.length), tagged: isTagged(plans, tags) };
}
