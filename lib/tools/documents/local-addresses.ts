/** Ports of a local runner. */
export type LocalPorts = { port: number; streamPort: number };

/** Ports that the documents use, which are those of `npm start` without options. */
const usual: LocalPorts = { port: 3000, streamPort: 3001 };

/** Replaces the addresses in a document, including its commands, by those of a given local runner. */
export function withAddresses(text: string, ports: LocalPorts): string {
  if (ports.port === usual.port && ports.streamPort === usual.streamPort) return text;
  return text
    .replaceAll(/127\.0\.0\.1:(3000|3001)\b/g, (_, port: string) =>
      Number(port) === usual.port ? `127.0.0.1:${ports.port}` : `127.0.0.1:${ports.streamPort}`,
    )
    .replaceAll(/npm run -s (price|token) --/g, (start) => `${start} --port ${ports.port}`)
    .replaceAll(`--local ${usual.port}`, `--local ${ports.port}`);
}
