import { createLocalJWKSet, jwtVerify } from 'jose'
import { ACCESS_TOKEN_TTL_SECONDS, ISSUER } from './servers/claims.mjs'

/** Sends one request; throws unless the answer is 2xx with an access token that the server's published keys verify. */
export async function requireToken(server, { method, path, headers, body }, jwksPath) {
  const base = `http://127.0.0.1:${server.port}`
  const answer = await fetch(base + path, { method, headers, body })
  const text = await answer.text()
  if (!answer.ok)
    throw new Error(`${server.name} answered ${answer.status} ${text}\n${server.child.outputEnd()}`)
  const { accessToken, access_token, token } = JSON.parse(text)
  const keys = createLocalJWKSet(await (await fetch(base + jwksPath)).json())
  const options = { issuer: ISSUER, audience: ISSUER, algorithms: ['ES256'] }
  const { payload } = await jwtVerify(accessToken ?? access_token ?? token, keys, options)
  const isRight =
    payload.permissions.dataEntry && payload.sub && payload.exp - payload.iat === ACCESS_TOKEN_TTL_SECONDS
  if (!isRight) throw new Error(`${server.name} signed ${JSON.stringify(payload)}`)
}
