import { account } from "../../account.ts";
import type { Resource, ResourceType, ResourceTypes } from "../resource-type.ts";
import { identified } from "./api-gateway.ts";

const domainName = (resource: Resource) => resource.property("DomainName");

const webSocketApi: ResourceType = {
  ...identified("ApiId"),
  attributes: {
    ...identified("ApiId").attributes,
    ApiEndpoint: ({ logicalId }) => `wss://${logicalId}.execute-api.${account.region}.${account.urlSuffix}`,
  },
};

/** The parts of a WebSocket API, and the name under which a deployed one is known, which nobody uses here. */
export const apiGatewayV2Types: ResourceTypes = {
  "AWS::ApiGatewayV2::Api": webSocketApi,
  "AWS::ApiGatewayV2::ApiMapping": identified("ApiMappingId"),
  "AWS::ApiGatewayV2::Authorizer": identified("AuthorizerId"),
  "AWS::ApiGatewayV2::Deployment": identified("DeploymentId"),
  "AWS::ApiGatewayV2::DomainName": {
    ref: domainName,
    attributes: { RegionalDomainName: domainName, RegionalHostedZoneId: () => "local" },
  },
  "AWS::ApiGatewayV2::Integration": identified("IntegrationId"),
  "AWS::ApiGatewayV2::Route": identified("RouteId"),
  "AWS::ApiGatewayV2::RouteResponse": identified("RouteResponseId"),
  "AWS::ApiGatewayV2::Stage": { ref: (resource) => resource.property("StageName") },
};
