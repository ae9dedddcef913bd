import { serveSatellite } from '../static-site.mjs'

export async function start(addresses) {
  await serveSatellite(new URL('site/', import.meta.url), addresses)
  return `
  Shop       ${addresses.origin}
             "Staff login", then as member@example.com or owner@example.com, with the password above
`
}
