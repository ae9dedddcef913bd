import { describe, expect, it } from '@jest/globals'
import { isMetricsHost, type Settings } from '../../sources.js'

const ACME = {
  publicUrl: 'https://api.acme.com',
  mainOrigin: 'https://www.acme.co.uk',
  operation: { metricsHost: 'Node1.acme.net' },
} as Settings

describe('metrics are served (S11)', () => {
  it.each([
    '127.0.0.1:9464',
    '10.0.0.7',
    '[::1]:9464',
    'localhost:9464',
    'mainstay:9464',
    // The name of a container, and that of a top-level domain.
    'app:9464',
    'mainstay.monitoring',
    'mainstay.monitoring.svc.cluster.local:9464',
    'host.docker.internal:9464',
    'node1.acme.net:9464',
    'node2.corp.ACME.com.:9464',
    'acme.co.uk',
  ])('at %s', host => {
    expect(isMetricsHost(host, ACME)).toBe(true)
  })

  it.each([
    'rebind.network:9464',
    '7f000001.evil.com:9464',
    'evil.com.',
    'evil-acme.com',
    'evil.co.uk',
    'node2.acme.net',
    // Of a shared domain, where anybody can have a name.
    'evil.github.io',
    'xn--e1afmkfd.xn--p1ai',
    'evil.com:',
    'two words',
    '',
  ])('not at %j', host => {
    expect(isMetricsHost(host, ACME)).toBe(false)
  })

  it('on a shared domain, at our own name alone', () => {
    const site = 'https://acme.github.io'
    const shared = { ...ACME, publicUrl: site, mainOrigin: site } as Settings
    expect(isMetricsHost('acme.github.io', shared)).toBe(true)
    expect(isMetricsHost('evil.github.io', shared)).toBe(false)
  })
})
