/** Single services for tests of code that calls them. */
export { accessRequestsOf, type LeadingKeys } from "./dynamodb/access-requests.ts";
export { startDynamoDb } from "./dynamodb/dynamodb.ts";
export { startDynamoDbProxy } from "./dynamodb/proxy.ts";
export { type Handle, json, pathOf, type Route } from "./http/messages.ts";
export { freePort, type Listener, listen } from "./http/server.ts";
export { type Access, readAccess } from "./iam/access.ts";
export { readPolicy } from "./iam/policy.ts";
export { createKms, type Kms } from "./kms/kms.ts";
export { KmsError } from "./kms/kms-error.ts";
export { kmsRequestHandler } from "./kms/request-handler.ts";
export { parametersService } from "./parameters/parameters.ts";
export { createReaper } from "./processes.ts";
export { awsServices, refusal } from "./services.ts";
export { memoryStore } from "./storage/store.ts";
export { type ControlPlaneOptions, createControlPlane } from "./usage-plans/control-plane/control-plane.ts";
export { createUsageState, noUsage, type Usage, type UsagePlan } from "./usage-plans/model.ts";
export { createUsagePlans } from "./usage-plans/usage-plans.ts";
