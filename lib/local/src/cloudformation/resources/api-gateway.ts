import type { Resource, ResourceType, ResourceTypes } from "../resource-type.ts";

const logicalId = (resource: Resource) => resource.logicalId;
const keyId = (resource: Resource) => resource.property("KeyId");

/** A type whose id is its logical id, given by `Ref` and by these attributes. */
export const identified = (...attributes: string[]): ResourceType => ({
  ref: logicalId,
  attributes: Object.fromEntries(attributes.map((attribute) => [attribute, logicalId])),
});

/** The parts of a REST API, and keys and usage plans, which are of no API. What they do is the gateway's to say. */
export const apiGatewayTypes: ResourceTypes = {
  "AWS::ApiGateway::ApiKey": identified("APIKeyId"),
  "AWS::ApiGateway::Authorizer": identified("AuthorizerId"),
  "AWS::ApiGateway::GatewayResponse": identified("Id"),
  "AWS::ApiGateway::Method": identified(),
  "AWS::ApiGateway::Resource": identified("ResourceId"),
  "AWS::ApiGateway::RestApi": {
    ref: logicalId,
    attributes: { RestApiId: logicalId, RootResourceId: (resource) => `${resource.logicalId}/root` },
  },
  "AWS::ApiGateway::Stage": { ref: (resource) => resource.property("StageName") },
  "AWS::ApiGateway::UsagePlan": identified("Id"),
  // That a key is in a plan has no id but the key's.
  "AWS::ApiGateway::UsagePlanKey": { ref: keyId, attributes: { Id: keyId } },
};
