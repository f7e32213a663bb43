/** Fakes a program's standard streams and keeps its output as text. */
export function stdioForTests() {
  const printed = { out: "", err: "" };
  const output = (name: "out" | "err") => ({
    write(text: string) {
      printed[name] += text;
    },
  });
  return { printed, stdout: output("out"), stderr: output("err") };
}
