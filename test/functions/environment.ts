/** Functions read their environment at load, so this is imported before any handler. */
import { functionEnvironment } from "../support/function-environment.ts";

Object.assign(process.env, functionEnvironment, {
  AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: "https://api.execute-api.us-east-1.amazonaws.com/live",
});
