/** One JSON array, an element a line, that can be printed before the last element is there. */
export async function* jsonLines(elements: AsyncIterable<unknown>): AsyncGenerator<string> {
  let open = "[";
  for await (const element of elements) {
    yield `${open}${JSON.stringify(element)}`;
    open = ",";
  }
  yield open === "[" ? "[]" : "]";
}
