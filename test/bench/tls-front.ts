import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";

export type TlsFronts = {
  /** File with the certificate, for NODE_EXTRA_CA_CERTS. */
  certificateFile: string;
  /** Serves a local address over TLS. Returns the new address. */
  before(url: string): Promise<string>;
  close(): void;
};

/**
 * Creates a certificate for this machine in a folder, with an RSA key like those of AWS, for servers that forward
 * bytes.
 *
 * @throws if `openssl` is missing, because Node cannot create certificates.
 */
export function openTlsFronts(folder: string): TlsFronts {
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  const subject = ["-subj", "/CN=benchmark", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files],
    {
      stdio: "ignore",
    },
  );
  const credentials = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  return {
    certificateFile,
    async before(url) {
      const port = Number(new URL(url).port);
      const server = createServer(credentials, (client) => {
        const upstream = connect(port, "127.0.0.1").setNoDelay();
        client.setNoDelay();
        for (const [socket, other] of [
          [client, upstream],
          [upstream, client],
        ] as const) {
          sockets.add(socket);
          // Ignores the reset connections of a killed function.
          socket.on("error", () => {});
          socket.on("close", () => {
            sockets.delete(socket);
            other.destroy();
          });
          socket.pipe(other);
        }
      });
      servers.push(server);
      await once(server.listen(0, "127.0.0.1"), "listening");
      return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close() {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
