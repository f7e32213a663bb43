import type { LookupAddress, LookupOptions } from "node:dns";
import { Resolver } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { ServiceError } from "../core/service-error.ts";

/** Reports that a host has an address that is not on the public internet, or none. The message names neither. */
export class NotPublic extends ServiceError {
  override readonly code = "NOT_PUBLIC";
}

/** Decides whether notices may be sent to an IP address. */
export type AddressRule = (address: string) => boolean;

/** The only part of IPv6 with public addresses. One outside it, such as `::7f00:1`, can stand for a private IPv4 address. */
const publicIPv6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** True for an address on the public internet, including an IPv6 address that stands for a public IPv4 address. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.range() === "unicast" && (address.kind() === "ipv4" || address.match(publicIPv6));
}

/** Finds the addresses of a host. */
export type FindAddresses = (host: string) => Promise<readonly LookupAddress[]>;

/** Limits of a DNS query, so that a name server that never answers leaves time to post. */
const dnsLimits = { timeout: 1500, tries: 2 };

/**
 * Finds addresses only through DNS. Blocks none of the process's four threads: otherwise, name servers that never
 * answer would keep the notices of other users waiting.
 */
export const findBy =
  (resolver: Resolver): FindAddresses =>
  async (host) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return [
      ...(ipv4.status === "fulfilled" ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
      ...(ipv6.status === "fulfilled" ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };

const findAddresses = findBy(new Resolver(dnsLimits));

/**
 * Finds the addresses of a host, which may be an address itself.
 *
 * @throws {NotPublic} unless the rule allows all of them: a host with one private address would reach it sooner or
 * later.
 */
export async function allowedAddresses(
  host: string,
  isAllowed: AddressRule,
  find: FindAddresses = findAddresses,
): Promise<readonly LookupAddress[]> {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const addresses = ipaddr.isValid(bare)
    ? [{ address: bare, family: bare.includes(":") ? 6 : 4 }]
    : await find(bare).catch(() => []);
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw new NotPublic();
  return addresses;
}

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Makes a lookup for a connection that answers only with these addresses, so that it goes to a checked address,
 * whatever DNS answers next.
 */
export const lookupOf =
  (addresses: readonly LookupAddress[]) => (_: string, options: LookupOptions, found: Found) => {
    const [first] = addresses;
    if (options.all) return found(null, [...addresses]);
    found(null, first?.address ?? "", first?.family);
  };
