import { connectionAuthorizer } from "../../lib/runtime/authorizer.ts";
import { authorizerDeps } from "../../lib/runtime/deps.ts";
import { environment } from "../../lib/runtime/environment.ts";

export const handler = connectionAuthorizer({
  ...authorizerDeps("authorizeConnection"),
  allowedOrigins: environment("ALLOWED_ORIGINS"),
});
