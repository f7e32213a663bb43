import { restAuthorizer } from "../../lib/runtime/authorizer.ts";
import { authorizerDeps } from "../../lib/runtime/deps.ts";
import { environment } from "../../lib/runtime/environment.ts";

export const handler = restAuthorizer({ ...authorizerDeps("authorize"), scopes: environment("SCOPES") });
