/** Writes the client's types and methods from the API's documents, as the first step of `npm run build:client`. */
require("./run.cjs")(async () => {
  const { readFileSync, writeFileSync } = await import("node:fs");
  const path = await import("node:path");
  const { methodsSource, openapiSource } = await import(
    "../lib/tools/documents/client-types/openapi-source.ts"
  );

  const inRoot = (file = "") => path.join(__dirname, "..", file);
  const read = (name = "") => JSON.parse(readFileSync(inRoot(`docs/${name}.json`), "utf8"));
  const documents = { openapi: read("openapi"), asyncapi: read("asyncapi") };
  writeFileSync(inRoot("lib/client/openapi.ts"), await openapiSource(documents));
  writeFileSync(inRoot("lib/client/methods.ts"), methodsSource(documents));
});
