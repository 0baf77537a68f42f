/**
 * Reads a stream until it ends or exceeds `limit` bytes; then `truncated` is true. Up to `discarded` more bytes are then
 * read and discarded; when that is not the end either, the stream is cancelled.
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
  discarded = 0,
): Promise<{ bytes: Uint8Array; truncated: boolean; cancelled: boolean }> {
  const chunks: Uint8Array[] = []
  const reader = stream?.getReader()
  let size = 0
  let ended = !reader
  while (reader && !ended && size <= limit + discarded) {
    const { done, value } = await reader.read()
    ended = done
    if (value && size <= limit) chunks.push(value)
    size += value?.byteLength ?? 0
  }
  const truncated = size > limit
  if (!ended) reader?.cancel().catch(() => {})
  return { bytes: concatenated(chunks), truncated, cancelled: !ended }
}

function concatenated(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
