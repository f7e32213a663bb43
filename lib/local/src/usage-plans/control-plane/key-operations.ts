import * as v from "valibot";
import { type ApiKey, newKeyId, newKeyValue } from "../model.ts";
import { keyValue } from "../read-usage.ts";
import {
  type Context,
  ControlPlaneError,
  conflict,
  findKey,
  operation,
  page,
  pageQuery,
  tags,
} from "./operation.ts";

export function apiKeyOperations(context: Context) {
  const { state, now, maxKeys } = context;
  return {
    CreateApiKey: operation(
      201,
      v.strictObject({
        // API Gateway treats an empty name as no name, as a recording shows.
        name: v.pipe(
          v.optional(
            v.pipe(v.string(), v.maxLength(1024, "Invalid API Key name, can be at most 1024 characters.")),
          ),
          v.transform((name) => name || undefined),
        ),
        value: v.optional(v.union([v.literal(""), keyValue])),
        // Recorded: a key is disabled unless the call enables it.
        enabled: v.optional(v.boolean(), false),
        tags: v.optional(tags),
      }),
      ({ name, value, enabled, tags }) => {
        const { apiKeys } = state.current;
        if (value && apiKeys.some((key) => key.value === value)) throw conflict("API Key already exists");
        if (apiKeys.length >= maxKeys) {
          throw new ControlPlaneError("LimitExceededException", "Maximum number of API Keys reached");
        }
        const key: ApiKey = {
          id: newKeyId(),
          from: "program",
          value: value || newKeyValue(),
          name,
          enabled,
          createdDate: now(),
          tags,
        };
        state.change({ apiKeys: [...apiKeys, key] });
        return { ...view(key), value: key.value };
      },
    ),

    GetApiKeys: operation(
      200,
      v.strictObject({ ...pageQuery, name: v.optional(v.string(), "") }),
      ({ name, ...query }) => {
        const named = state.current.apiKeys.filter((key) => (key.name ?? "").startsWith(name));
        return page(named, query, view);
      },
    ),

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

/** Describes a key without its value. Keys are never updated here, so both dates are the same. */
function view({ id, name, description, enabled, createdDate, tags }: ApiKey): object {
  const date = createdDate / 1000;
  return { id, name, description, enabled, createdDate: date, lastUpdatedDate: date, stageKeys: [], tags };
}
