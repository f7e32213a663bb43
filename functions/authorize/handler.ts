import { restAuthorizer } from "../../lib/runtime/authorizer.ts";
import { authorizerDeps } from "../../lib/runtime/deps.ts";

export const handler = restAuthorizer(authorizerDeps("authorize"));
