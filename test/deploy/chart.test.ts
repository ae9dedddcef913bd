import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { typeFaults } from '../packages/support/type-check.js'
import { ALL_SETTINGS, readSettings } from '../sources.js'
import { helmProgram } from './helm-program.js'

const run = promisify(execFile)
const CHART = 'deploy/helm/mainstay'
/** The file that an operator puts into the Secret. */
const SECRET_FILE = {
  DATABASE_URL: 'postgres://mainstay:password@database.test/mainstay',
  SESSION_STORE_URL: 'redis://redis.test:6379',
  STRIPE_PRICE_IDS: 'price_monthly',
  STRIPE_SECRET_KEY: 'sk_live_of_this_test_alone',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_this_test_alone',
}
/** Where kubernetes-types has the kinds of an API. */
const TYPES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'rbac.authorization.k8s.io/v1': 'rbac/v1',
}

// biome-ignore lint/suspicious/noExplicitAny: what helm makes of the templates.
type Manifest = any

let helm: string
beforeAll(async () => {
  helm = await helmProgram()
}, 120_000)

async function rendered(...args: string[]): Promise<Manifest[]> {
  const { stdout } = await run(helm, ['template', 'test', CHART, '--namespace', 'auth', ...args])
  return parseAllDocuments(stdout)
    .map(document => document.toJS())
    .filter(manifest => manifest !== null)
}

/** The pod of everything that runs one. */
function podsOf(manifests: Manifest[]): { kind: string; name: string; pod: Manifest }[] {
  return manifests.flatMap(({ kind, metadata: { name }, spec }) => {
    const pod = (spec?.jobTemplate?.spec ?? spec)?.template?.spec
    return pod ? [{ kind, name, pod }] : []
  })
}

function podOfService(manifests: Manifest[]): Manifest {
  return manifests.find(({ kind }) => kind === 'Deployment').spec.template.spec
}

describe.each([
  ['as it comes', []],
  ['with metrics, without autoscaling', ['--set', 'metrics.enabled=true,autoscaling.enabled=false']],
])('the chart, %s', (_, args) => {
  let manifests: Manifest[]
  beforeAll(async () => {
    manifests = await rendered(...args)
  })

  it('is right for helm, and every manifest has the fields of its kind and no others', async () => {
    await run(helm, ['lint', '--strict', CHART, ...args])
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-chart-'))
    try {
      await mkdir(join(folder, 'node_modules'))
      await symlink(resolve('node_modules/kubernetes-types'), join(folder, 'node_modules/kubernetes-types'))
      const lines = manifests.map(({ apiVersion, kind, ...rest }, index) => {
        const type = `import('kubernetes-types/${TYPES[apiVersion]}').${kind}`
        return `export const m${index}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })}`
      })
      await writeFile(join(folder, 'manifests.ts'), lines.join('\n'))
      expect(typeFaults(folder, 'manifests.ts', { types: [], skipLibCheck: true })).toEqual([])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('gives the service every required setting, and none that is a secret', async () => {
    const { data } = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === NAME)
    const { containers } = podOfService(manifests)
    const own = Object.fromEntries(containers[0].env.map(({ name, value }: Manifest) => [name, value]))
    const names = new Set(ALL_SETTINGS.map(({ name }) => name))
    expect(Object.keys({ ...data, ...own }).filter(name => !names.has(name))).toEqual([])
    const settings = readSettings({ ...SECRET_FILE, ...data, ...own }, '/nowhere')
    expect(settings).toMatchObject({ environment: 'production', pages: ['main', 'satellite'] })
    for (const { name, isSecret } of ALL_SETTINGS) if (isSecret) expect(data).not.toHaveProperty(name)
  })

  it('runs nothing as root, with a file system to write to or with rights it does not need', () => {
    const pods = podsOf(manifests)
    expect(pods.length).toBeGreaterThanOrEqual(6)
    for (const { name, pod } of pods) {
      expect([name, pod.securityContext]).toEqual([
        name,
        expect.objectContaining({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }),
      ])
      for (const { securityContext, volumeMounts } of pod.containers) {
        expect(securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        })
        const writable = volumeMounts.filter(({ readOnly }: Manifest) => !readOnly)
        expect([name, writable]).toEqual([name, pod.serviceAccountName ? [WORK] : []])
      }
      if (!pod.serviceAccountName) expect([name, pod.automountServiceAccountToken]).toEqual([name, false])
    }
  })

  it('lets in only who is named, to the ports that there are', () => {
    const policy = manifests.find(({ kind }) => kind === 'NetworkPolicy').spec
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress'])
    const hasMetrics = args.length > 0
    const ports = policy.ingress.flatMap((rule: Manifest) => rule.ports.map(({ port }: Manifest) => port))
    expect(ports).toEqual(hasMetrics ? [3000, 9464] : [3000])
    for (const { from } of policy.ingress) expect(from.length).toBeGreaterThan(0)
  })

  it('leaves the service time to drain', () => {
    const { terminationGracePeriodSeconds: grace } = podOfService(manifests)
    expect(grace).toBeGreaterThanOrEqual(8 + 12)
  })
})

const NAME = 'test-mainstay'
const WORK = { name: 'work', mountPath: '/work' }

it.each([
  ['a name that is not a setting', 'settings.MAIN_ORGIN=https://www.main.test'],
  ['a secret that would be in a ConfigMap', 'settings.STRIPE_SECRET_KEY=sk_live_x'],
  ['a value that is not there', 'replica=3'],
  ['a schedule that is none', 'keys.rotation.schedule=monthly'],
])('the chart refuses %s', async (_, value) => {
  await expect(run(helm, ['template', 'test', CHART, '--set', value])).rejects.toThrow(
    /don't meet the specifications of the schema/,
  )
})

it('passes on settings of a values file as they are written there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-values-'))
  const values = join(folder, 'values.yaml')
  await writeFile(
    values,
    'settings: { SIGN_UP: on, SESSION_TTL_SECONDS: 2592000, PAYMENT_GRACE_SECONDS: 1209600, LOG_LEVEL: warn }',
  )
  const { data } = (await rendered('-f', values)).find(
    ({ kind, data }) => kind === 'ConfigMap' && data.SIGN_UP,
  )
  expect(data).toMatchObject({
    SIGN_UP: 'on',
    SESSION_TTL_SECONDS: '2592000',
    PAYMENT_GRACE_SECONDS: '1209600',
    LOG_LEVEL: 'warn',
  })
  await rm(folder, { recursive: true })
})

it('shuts every port but that of DNS where none is named, and knows those of Redis Sentinel', async () => {
  const egressOf = async (...args: string[]) =>
    (await rendered(...args)).find(({ kind }) => kind === 'NetworkPolicy').spec.egress
  expect(await egressOf('--set-json', 'networkPolicy.toPorts=[]')).toHaveLength(1)
  const [, named] = await egressOf()
  expect(named.ports).toContainEqual({ protocol: 'TCP', port: 26379 })
})

it('mounts every file of the Secret, such as a PLANS_FILE', async () => {
  const { volumes } = podOfService(await rendered())
  const settings = volumes.find(({ name }: Manifest) => name === 'settings')
  expect(settings.secret).not.toHaveProperty('items')
})

it('gives every pod the environment and the files that are no settings', async () => {
  const threads = { name: 'UV_THREADPOOL_SIZE', value: '18' }
  const mount = { name: 'files', mountPath: '/files', readOnly: true }
  const manifests = await rendered(
    ...[
      '--set-json',
      `extraEnv=[${JSON.stringify(threads)},{"name":"NODE_EXTRA_CA_CERTS","value":"/files/ca.pem"}]`,
    ],
    ...['--set-json', `extraVolumes=[{"name":"files","configMap":{"name":"plans"}}]`],
    ...['--set-json', `extraVolumeMounts=[${JSON.stringify(mount)}]`],
  )
  const pods = podsOf(manifests)
  expect(pods.length).toBeGreaterThanOrEqual(6)
  for (const { name, pod } of pods) {
    const [{ env, volumeMounts }] = pod.containers
    // The jobs of keys trust Kubernetes, and their commands what is given here.
    const trust = pod.serviceAccountName ? 'COMMANDS_EXTRA_CA_CERTS' : 'NODE_EXTRA_CA_CERTS'
    expect([name, env]).toEqual([
      name,
      expect.arrayContaining([threads, { name: trust, value: '/files/ca.pem' }]),
    ])
    const names = env.map((variable: Manifest) => variable.name)
    expect(new Set(names).size).toBe(names.length)
    expect(volumeMounts).toContainEqual(mount)
    expect(pod.volumes).toContainEqual({ name: 'files', configMap: { name: 'plans' } })
  }
})

it('names everything as Kubernetes allows, however long the name of the release', async () => {
  const release = 'customer-portal-authentication-of-production'
  const { stdout } = await run(helm, ['template', release, CHART, '--namespace', 'auth'])
  const manifests: Manifest[] = parseAllDocuments(stdout).map(document => document.toJS())
  const tooLong = manifests
    .filter(manifest => manifest !== null)
    .filter(({ kind, metadata: { name } }) => name.length > (kind === 'CronJob' ? 52 : 63))
  expect(tooLong.map(({ metadata }) => metadata.name)).toEqual([])
})

it('has a job for every command on keys that its README tells to run, and starts none of them itself', async () => {
  const readme = await readFile('deploy/helm/README.md', 'utf8')
  const named = [...readme.matchAll(/--from=cronjob\/mainstay-(\S+)/g)].map(([, job]) => `${NAME}-${job}`)
  const jobs = (await rendered()).filter(({ kind, spec }) => kind === 'CronJob' && spec.suspend)
  expect(
    jobs.map(({ metadata, spec }) => [metadata.name, spec.jobTemplate.spec.template.spec.containers[0].args]),
  ).toEqual([
    [`${NAME}-keys-replace`, ['change', 'keys:replace --now']],
    [`${NAME}-secrets-reseal`, ['change', 'secrets:reseal']],
    [`${NAME}-secrets-rotate`, ['change', 'secrets:rotate']],
  ])
  expect(
    jobs
      .filter(({ spec }) => spec.jobTemplate.spec.activeDeadlineSeconds > 300)
      .map(({ metadata }) => metadata.name),
  ).toEqual([`${NAME}-secrets-reseal`])
  expect(named.sort()).toEqual(jobs.map(({ metadata }) => metadata.name))
})
