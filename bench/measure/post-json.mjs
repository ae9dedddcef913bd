import { request } from 'node:http'
import { json } from 'node:stream/consumers'

/** Posts `text`, which is JSON, on a connection of the agent; gives back the answer, whose body is not read yet. */
export function post({ agent, port, path, text, headers = {} }) {
  const own = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
  return new Promise((resolve, reject) => {
    request({ agent, port, host: '127.0.0.1', method: 'POST', path, headers: { ...headers, ...own } })
      .once('response', resolve)
      .once('error', reject)
      .end(text)
  })
}

/** Posts `body` as JSON; gives back what was answered. Rejects when that has another status than `status`. */
export async function postJson({ body, status = 200, ...rest }) {
  const answer = await post({ ...rest, text: JSON.stringify(body) })
  const content = await json(answer)
  if (answer.statusCode !== status)
    throw new Error(`${rest.path} answered ${answer.statusCode} ${JSON.stringify(content)}`)
  return content
}
