import type { ResourceTypes } from "../resource-type.ts";
import { apiGatewayTypes } from "./api-gateway.ts";
import { apiGatewayV2Types } from "./api-gateway-v2.ts";
import { eventSourceTypes } from "./event-sources.ts";
import { inertTypes } from "./inert.ts";
import { keyTypes } from "./key.ts";
import { functionTypes } from "./lambda-function.ts";
import { tableTypes } from "./table.ts";

/** Every type of resource that may stand in a template. `keyNamed` gives the KMS key that a resource stands for. */
export function resourceTypes(keyNamed: Parameters<typeof keyTypes>[0]): ResourceTypes {
  return {
    ...tableTypes,
    ...keyTypes(keyNamed),
    ...functionTypes,
    ...apiGatewayTypes,
    ...apiGatewayV2Types,
    ...eventSourceTypes,
    ...inertTypes,
  };
}
