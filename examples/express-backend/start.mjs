import { once } from 'node:events'
import { ordersServer } from './server.mjs'

export async function start({ apiUrl, origin, port }) {
  await once(ordersServer(apiUrl).listen(port, '127.0.0.1'), 'listening')
  return `
  Backend    ${origin}/orders, which takes access tokens of the service

    TOKEN=$(curl -s ${apiUrl}/api/login -H 'Content-Type: application/json' -H 'Origin: ${origin}' \\
      -d '{"email":"member@example.com","password":"correct horse battery staple","source":"satellite"}' \\
      | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')
    curl -s ${origin}/orders -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
      -d '{"article":"Touring bike","quantity":2}'
    curl -s ${origin}/orders -H "Authorization: Bearer $TOKEN"
`
}
