/** The body of an answer as text, cut off after `limit` bytes; the rest is not read. */
export async function readBody(response: Response, limit: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    text += decoder.decode(value, { stream: true })
    if (size > limit) {
      reader.cancel().catch(() => {})
      return text
    }
  }
}
