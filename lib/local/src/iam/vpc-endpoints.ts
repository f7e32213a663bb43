import * as v from "valibot";
import { account } from "../account.ts";
import { namedProperties, notEmulated, type Resource, reading } from "../cloudformation/resource.ts";
import { generatedName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import {
  type Caller,
  type EndpointService,
  endpointServices,
  readTemplatePolicy,
  type VpcEndpoint,
} from "./caller.ts";
import type { Policy } from "./policy.ts";

const Names = v.optional(v.array(v.string()), []);

const Endpoint = v.object({
  VpcId: v.string(),
  ServiceName: v.string(),
  VpcEndpointType: v.optional(
    v.picklist(["Gateway", "Interface"], "must be Gateway or Interface"),
    "Gateway",
  ),
  PrivateDnsEnabled: v.optional(v.boolean(), false),
  RouteTableIds: Names,
  PolicyDocument: v.optional(v.unknown()),
});

const allowsAll: Policy = () => "Allow";

/** Finds the endpoints that a function in these subnets reaches. Undefined for a function outside of a VPC. */
export type EndpointsOf = (subnetIds: readonly string[]) => Caller["endpoints"];

/**
 * Reads the networks of the stacks. A gateway endpoint serves the subnets whose route table it names. An interface
 * endpoint serves its whole VPC, provided that it has the service's DNS name. Security groups are ignored.
 *
 * @throws {StartupError} if there is an endpoint of another service
 */
export function readVpcEndpoints(resources: Resources): EndpointsOf {
  const vpcs = new Map(
    resources
      .ofType("AWS::EC2::Subnet")
      .map((subnet) => [generatedName(subnet), String(subnet.property("VpcId"))]),
  );
  const routeTables = new Map(
    resources
      .ofType("AWS::EC2::SubnetRouteTableAssociation")
      .map((each) => [String(each.property("SubnetId")), String(each.property("RouteTableId"))]),
  );
  const endpoints = resources.ofType("AWS::EC2::VPCEndpoint").map(readEndpoint);

  return (subnetIds) => {
    if (subnetIds.length === 0) return undefined;
    const serves = ({ type, endpoint, tables }: ReadEndpoint) =>
      subnetIds.every((subnet) =>
        type === "Interface"
          ? vpcs.get(subnet) === endpoint.vpc
          : tables.includes(routeTables.get(subnet) ?? ""),
      );
    return Object.fromEntries(endpoints.filter(serves).map(({ service, endpoint }) => [service, endpoint]));
  };
}

type ReadEndpoint = {
  service: EndpointService;
  type: "Gateway" | "Interface";
  tables: readonly string[];
  endpoint: VpcEndpoint;
};

function readEndpoint(resource: Resource): ReadEndpoint {
  const read = reading(resource, () => v.parse(Endpoint, namedProperties(resource, Endpoint)));
  const prefix = `com.amazonaws.${account.region}.`;
  const service = endpointServices.find((name) => read.ServiceName === prefix + name);
  if (service === undefined) throw notEmulated(resource, `ServiceName: ${read.ServiceName}`);
  if (read.VpcEndpointType === "Interface" && !read.PrivateDnsEnabled) {
    throw notEmulated(resource, "PrivateDnsEnabled: an endpoint without the service's DNS name");
  }
  return {
    service,
    type: read.VpcEndpointType,
    tables: read.RouteTableIds,
    endpoint: {
      id: generatedName(resource),
      vpc: read.VpcId,
      policy: read.PolicyDocument
        ? reading(resource, () => readTemplatePolicy(read.PolicyDocument))
        : allowsAll,
    },
  };
}
