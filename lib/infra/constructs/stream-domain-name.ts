import { ApiMapping, DomainName, EndpointType, SecurityPolicy } from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { Domain } from "../config.ts";
import type { StreamApi } from "./stream-api.ts";

/** Puts the WebSocket API under the root of a name of the owner's, who makes the DNS record. */
export function addStreamDomainName(api: StreamApi, { domainName, certificateArn }: Domain): DomainName {
  const name = new DomainName(api, "DomainName", {
    domainName,
    certificate: Certificate.fromCertificateArn(api, "Certificate", certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new ApiMapping(api, "Mapping", { api, domainName: name, stage: api.stage });
  return name;
}
