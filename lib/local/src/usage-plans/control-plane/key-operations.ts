import * as v from "valibot";
import { type ApiKey, newKeyId, newKeyValue } from "../model.ts";
import { keyValue } from "../read-usage.ts";
import {
  type Context,
  ControlPlaneError,
  conflict,
  findKey,
  operation,
  type PatchRule,
  page,
  pageQuery,
  parse,
  patched,
  patchOperations,
  replaced,
} from "./operation.ts";
import { tags } from "./tag-operations.ts";

const flag = v.pipe(
  v.optional(v.picklist(["true", "false"]), "false"),
  v.transform((text) => text === "true"),
);

/** What can be changed of a key, and within which bounds. */
const settings = {
  // Recorded: an empty name is none.
  name: v.pipe(
    v.optional(
      v.pipe(v.string(), v.maxLength(1024, "Invalid API Key name, can be at most 1024 characters.")),
    ),
    v.transform((name) => name || undefined),
  ),
  description: v.optional(v.pipe(v.string(), v.maxLength(125_000, "Invalid API Key description specified."))),
  customerId: v.optional(v.string()),
  // Recorded: a key is not enabled unless that is asked for.
  enabled: v.optional(v.boolean(), false),
};

const rules: PatchRule<ApiKey>[] = [
  setting("/description", (key, description) => ({ ...key, description })),
  // Recorded: anything else is false.
  setting("/enabled", (key, value) => ({ ...key, enabled: value === "true" })),
  setting("/name", (key, name) => ({ ...key, name })),
  setting("/customerId", (key, customerId) => ({ ...key, customerId })),
];

function setting(path: string, apply: PatchRule<ApiKey>["apply"]): PatchRule<ApiKey> {
  return { ops: ["replace"], path, apply };
}

export function apiKeyOperations(context: Context) {
  const { state, now, maxKeys } = context;
  return {
    CreateApiKey: operation(
      201,
      v.strictObject({
        ...settings,
        value: v.optional(v.union([v.literal(""), keyValue])),
        generateDistinctId: v.optional(v.literal(true)),
        tags: v.optional(tags),
      }),
      ({ generateDistinctId: _, value, tags: given, ...rest }) => {
        const { apiKeys } = state.current;
        if (value && apiKeys.some((key) => key.value === value)) throw conflict("API Key already exists");
        if (apiKeys.length >= maxKeys) {
          throw new ControlPlaneError("LimitExceededException", "Maximum number of API Keys reached");
        }
        const key: ApiKey = {
          id: newKeyId(),
          from: "program",
          value: value || newKeyValue(),
          ...rest,
          createdDate: now(),
          lastUpdatedDate: now(),
          stageKeys: [],
          tags: given ?? {},
        };
        state.change({ apiKeys: [...apiKeys, key] });
        return { ...view(key), value: key.value, ...(given && { tags: given }) };
      },
    ),

    GetApiKey: operation(
      200,
      v.strictObject({ apiKey: v.string(), includeValue: flag }),
      ({ apiKey, includeValue }) => {
        const key = findKey(context, apiKey);
        return { ...view(key), tags: key.tags, ...(includeValue && { value: key.value }) };
      },
    ),

    GetApiKeys: operation(
      200,
      v.strictObject({
        ...pageQuery,
        name: v.optional(v.string(), ""),
        customerId: v.optional(v.string()),
        includeValues: flag,
      }),
      ({ name, customerId, includeValues, ...query }) =>
        page(
          state.current.apiKeys.filter(
            (key) =>
              (key.name ?? "").startsWith(name) &&
              (customerId === undefined || key.customerId === customerId),
          ),
          query,
          (key) => ({ ...view(key), ...(includeValues && { value: key.value }) }),
        ),
    ),

    UpdateApiKey: operation(200, v.strictObject({ apiKey: v.string(), patchOperations }), (input) => {
      const changed = patched(findKey(context, input.apiKey), input.patchOperations, rules);
      const { name, description, customerId, enabled } = changed;
      const checked = parse(v.object(settings), { name, description, customerId, enabled });
      const key = { ...changed, ...checked, lastUpdatedDate: now() };
      state.change({ apiKeys: replaced(state.current.apiKeys, key) });
      return { ...view(key), tags: key.tags };
    }),

    DeleteApiKey: operation(202, v.strictObject({ apiKey: v.string() }), ({ apiKey }) => {
      const { id } = findKey(context, apiKey);
      const { apiKeys, planKeys } = state.current;
      state.change({
        apiKeys: apiKeys.filter((key) => key.id !== id),
        planKeys: planKeys.filter(({ keyId }) => keyId !== id),
      });
      return undefined;
    }),
  };
}

/** A key as every answer shows it. Its value and its tags are not always told. */
function view({ value: _, from: __, tags: ___, createdDate, lastUpdatedDate, ...key }: ApiKey): object {
  return { ...key, createdDate: createdDate / 1000, lastUpdatedDate: lastUpdatedDate / 1000 };
}
