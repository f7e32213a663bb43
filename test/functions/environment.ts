/** What the stack sets. A function reads it at load, so this is imported before any handler. */
Object.assign(process.env, {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  TABLE_NAME: "table",
  KEY_ID: "arn:aws:kms:us-east-1:000000000000:key/test",
  ALLOWED_ORIGINS: JSON.stringify(["https://app.example", "https://other.example"]),
  WALLET_LIMITS: JSON.stringify({ Base: 10, Pro: 50, Enterprise: 500 }),
  ISSUER: "https://id.example/",
  AUDIENCE: "terminal",
  JWKS_URI: "https://id.example/keys",
  COOKIE_NAME: "access_token",
  CHANNEL_SHARDS: "4",
  DELIVER_FUNCTION: "deliver",
  SHARED_KEY_VALUE: "0123456789abcdef0123456789abcdef",
  PLAN_STAGES: JSON.stringify([{ apiId: "Rest", stage: "live" }]),
  AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: "https://api.execute-api.us-east-1.amazonaws.com/live",
});
