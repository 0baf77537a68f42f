/** Reads a stream until it ends or exceeds `limit` bytes; then `truncated` is true. */
export async function readBytes(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  const chunks: Uint8Array[] = []
  const reader = stream?.getReader()
  let size = 0
  while (reader && size <= limit) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    chunks.push(value)
  }
  const truncated = size > limit
  if (truncated) reader?.cancel().catch(() => {})
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return { bytes, truncated }
}
