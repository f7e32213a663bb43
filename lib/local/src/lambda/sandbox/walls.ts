import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { constants } from "node:os";

/** Node's internal object for a connection. It is not part of Node's API, but every connection passes through it. */
type Handle = Record<string, (...values: unknown[]) => unknown>;

const { apply } = Reflect;

/**
 * Restricts this process for good: it connects only to the given addresses, resolves no names, listens on no port and
 * sends no datagrams. JavaScript cannot remove or replace the walls. Together with Node's permission model, which keeps
 * other processes, threads, native code and Node's internals away, they stop unwanted connections of libraries.
 *
 * @param reachable addresses as `address:port`
 * @param report receives a description of each refused attempt
 */
export function wallOff(reachable: readonly string[], report: (attempt: string) => void): void {
  // Calls no method that the function's code could replace.
  const allowed: Record<string, true> = Object.create(null);
  for (const address of reachable) allowed[address] = true;

  const refuse = (attempt: string): number => {
    report(attempt);
    return -constants.errno.ENETUNREACH;
  };
  const tcp = handleOf({ host: "nowhere.invalid", lookup: () => {} });
  for (const name of ["connect", "connect6"]) {
    const connect = tcp[name] as Handle[string];
    fix(tcp, name, function (this: unknown, request: unknown, address: unknown, port: unknown) {
      if (allowed[`${address}:${port}`] === true) return apply(connect, this, [request, address, port]);
      return refuse(`a connection to ${address}:${port}`);
    });
  }
  for (const name of ["bind", "bind6", "listen"]) fix(tcp, name, () => refuse("to listen on a port"));
  const pipe = handleOf({ path: "/dev/null/nowhere" });
  fix(pipe, "connect", (_: unknown, path: unknown) => refuse(`a connection to ${path}`));
  for (const name of ["bind", "listen"]) fix(pipe, name, () => refuse("to listen on a path"));

  const noDatagrams = () => {
    throw systemError("ENETUNREACH", "send", refuse("a datagram"));
  };
  for (const name of ["send", "connect", "bind", "addMembership"])
    fix(dgram.Socket.prototype as unknown as Handle, name, noDatagrams);

  const notFound = (name: unknown) => {
    refuse(`the name ${name}`);
    return systemError("ENOTFOUND", "getaddrinfo", -3008, { hostname: name });
  };
  for (const holder of [dns, dns.Resolver.prototype] as unknown as Handle[])
    for (const name of lookups(holder))
      fix(holder, name, (...values) => {
        const callback = values.at(-1);
        if (typeof callback !== "function") throw notFound(values[0]);
        process.nextTick(callback, notFound(values[0]));
      });
  for (const holder of [dns.promises, dns.promises.Resolver.prototype] as unknown as Handle[])
    for (const name of lookups(holder)) fix(holder, name, async (asked) => Promise.reject(notFound(asked)));
  syncBuiltinESMExports();
}

/** Gets the internal methods of one kind of socket, from a socket that connects nowhere. */
function handleOf(options: net.NetConnectOpts | { host: string; lookup: () => void }): Handle {
  const socket = net.connect({ port: 1, ...options } as net.NetConnectOpts);
  socket.on("error", () => {});
  const { _handle } = socket as unknown as { _handle: object };
  socket.destroy();
  return Object.getPrototypeOf(_handle);
}

const lookups = (holder: Handle) =>
  [
    ...Object.getOwnPropertyNames(holder),
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(holder)),
  ].filter(
    (name) => /^(lookup|lookupService|resolve\w*|reverse)$/.test(name) && typeof holder[name] === "function",
  );

function fix(holder: Handle, name: string, value: Handle[string]): void {
  Object.defineProperty(holder, name, { value, writable: false, configurable: false, enumerable: true });
}

function systemError(code: string, syscall: string, errno: number, rest: object = {}): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, errno, syscall, ...rest });
}
