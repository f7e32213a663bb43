/** Sets the environment, which functions read at load time. Import this before any handler. */
import { functionEnvironment } from "../support/function-environment.ts";

Object.assign(process.env, functionEnvironment, {
  AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: "https://api.execute-api.us-east-1.amazonaws.com/live",
});
