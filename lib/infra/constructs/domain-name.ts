import { type DomainName, EndpointType, type RestApi, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { Domain } from "../config.ts";

/** Puts the REST API under the root of a name of the owner's, who makes the DNS record. */
export function addDomainName(api: RestApi, { domainName, certificateArn }: Domain): DomainName {
  return api.addDomainName("DomainName", {
    domainName,
    certificate: Certificate.fromCertificateArn(api, "Certificate", certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
}
