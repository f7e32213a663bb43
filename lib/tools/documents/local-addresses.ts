/** The ports of a local runner. */
export type LocalPorts = { port: number; streamPort: number };

/** The ports that documents name: those of `npm start` without options. */
const usual: LocalPorts = { port: 3000, streamPort: 3001 };

/** Makes a document name the addresses of a certain local runner, also in its commands. */
export function withAddresses(text: string, ports: LocalPorts): string {
  if (ports.port === usual.port && ports.streamPort === usual.streamPort) return text;
  return text
    .replaceAll(/127\.0\.0\.1:(3000|3001)\b/g, (_, port: string) =>
      Number(port) === usual.port ? `127.0.0.1:${ports.port}` : `127.0.0.1:${ports.streamPort}`,
    )
    .replaceAll("npm run -s token --", `npm run -s token -- --port ${ports.port}`)
    .replaceAll(`--local ${usual.port}`, `--local ${ports.port}`);
}
