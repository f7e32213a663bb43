import * as v from "valibot";
import { type ApiKey, plansOf, stageName, stageTaken } from "../model.ts";
import {
  type Context,
  conflict,
  findKey,
  findPlan,
  notFound,
  operation,
  page,
  pageQuery,
} from "./operation.ts";

export function usagePlanKeyOperations(context: Context) {
  const { state } = context;
  return {
    CreateUsagePlanKey: operation(
      201,
      v.strictObject({
        usagePlanId: v.string(),
        keyId: v.string(),
        keyType: v.literal("API_KEY", "Invalid key type specified"),
      }),
      ({ usagePlanId, keyId }) => {
        const plan = findPlan(context, usagePlanId);
        const key = findKey(context, keyId);
        const { planKeys } = state.current;
        if (plansOf(state.current, keyId).includes(plan)) {
          throw conflict(`API Key ${keyId} is in the Usage Plan ${usagePlanId} already`);
        }
        const taken = stageTaken(state.current, keyId, plan);
        if (taken) {
          throw conflict(`API Key ${keyId} is in another Usage Plan of API Stage ${stageName(taken)}`);
        }
        state.change({ planKeys: [...planKeys, { from: "program", usagePlanId, keyId }] });
        return view(key);
      },
    ),

    GetUsagePlanKey: operation(
      200,
      v.strictObject({ usagePlanId: v.string(), keyId: v.string() }),
      ({ usagePlanId, keyId }) => {
        const plan = findPlan(context, usagePlanId);
        const key = findKey(context, keyId);
        if (plansOf(state.current, key.id).includes(plan)) return view(key);
        throw notFound("Invalid Usage Plan Key identifier specified");
      },
    ),

    // Recorded: a plan that does not exist has an empty list of keys and is not an error.
    GetUsagePlanKeys: operation(
      200,
      v.strictObject({ ...pageQuery, usagePlanId: v.string(), name: v.optional(v.string(), "") }),
      ({ usagePlanId, name, ...query }) => {
        const { apiKeys, planKeys } = state.current;
        const inPlan = new Set(
          planKeys.filter((each) => each.usagePlanId === usagePlanId).map(({ keyId }) => keyId),
        );
        const keys = apiKeys.filter((key) => inPlan.has(key.id) && (key.name ?? "").startsWith(name));
        return page(keys, query, view);
      },
    ),
  };
}

function view({ id, value, name }: ApiKey): object {
  return { id, type: "API_KEY", value, name };
}
