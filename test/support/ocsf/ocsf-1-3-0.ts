// What OCSF 1.3.0 says about the classes that we write: required and known attributes, their types and enums, and of
// which at least one has to be there. Written down from https://schema.ocsf.io/1.3.0, class by class.

/** `name` is required, `name?` is not. */
export interface OcsfType {
  readonly attributes: Readonly<Record<string, AttributeType>>
  readonly atLeastOne?: readonly string[]
}

export type AttributeType =
  | 'string'
  | 'integer'
  | 'long'
  | 'timestamp'
  | 'boolean'
  | 'ip'
  | 'email'
  | 'json'
  | { readonly enum: Readonly<Record<number, string>>; readonly sibling: string }
  | { readonly object: OcsfType }
  | { readonly list: AttributeType }

const STRINGS = { list: 'string' } as const
const UNKNOWN_OR = (values: Readonly<Record<number, string>>) => ({ 0: 'Unknown', ...values, 99: 'Other' })

const ORGANIZATION: OcsfType = {
  attributes: { 'name?': 'string', 'uid?': 'string', 'ou_name?': 'string', 'ou_uid?': 'string' },
  atLeastOne: ['name', 'uid'],
}

const USER: OcsfType = {
  attributes: {
    'credential_uid?': 'string',
    'domain?': 'string',
    'email_addr?': 'email',
    'full_name?': 'string',
    'name?': 'string',
    'org?': { object: ORGANIZATION },
    'type?': 'string',
    'type_id?': { enum: UNKNOWN_OR({ 1: 'User', 2: 'Admin', 3: 'System' }), sibling: 'type' },
    'uid?': 'string',
    'uid_alt?': 'string',
  },
  atLeastOne: ['account', 'name', 'uid'],
}

const SESSION: OcsfType = {
  attributes: {
    'created_time?': 'timestamp',
    'credential_uid?': 'string',
    'expiration_time?': 'timestamp',
    'is_mfa?': 'boolean',
    'is_remote?': 'boolean',
    'issuer?': 'string',
    'uid?': 'string',
    'uid_alt?': 'string',
  },
}

const ACTOR: OcsfType = {
  attributes: {
    'app_name?': 'string',
    'app_uid?': 'string',
    'session?': { object: SESSION },
    'user?': { object: USER },
  },
  atLeastOne: ['process', 'user', 'invoked_by', 'session', 'app_name', 'app_uid'],
}

const NETWORK_ENDPOINT: OcsfType = {
  attributes: {
    'domain?': 'string',
    'hostname?': 'string',
    'ip?': 'ip',
    'name?': 'string',
    'port?': 'integer',
    'svc_name?': 'string',
    'uid?': 'string',
  },
  atLeastOne: [
    ...[
      'ip',
      'uid',
      'name',
      'hostname',
      'svc_name',
      'instance_uid',
      'interface_uid',
      'interface_name',
      'domain',
    ],
  ],
}

const SERVICE: OcsfType = {
  attributes: { 'name?': 'string', 'uid?': 'string', 'version?': 'string', 'labels?': STRINGS },
  atLeastOne: ['name', 'uid'],
}

const HTTP_REQUEST: OcsfType = {
  attributes: {
    'http_method?': 'string',
    'referrer?': 'string',
    'uid?': 'string',
    'user_agent?': 'string',
    'version?': 'string',
    'x_forwarded_for?': { list: 'ip' },
  },
}

const METADATA: OcsfType = {
  attributes: {
    'correlation_uid?': 'string',
    'event_code?': 'string',
    'labels?': STRINGS,
    'log_level?': 'string',
    'log_name?': 'string',
    'log_provider?': 'string',
    'log_version?': 'string',
    'logged_time?': 'timestamp',
    'original_time?': 'string',
    'processed_time?': 'timestamp',
    product: {
      object: {
        attributes: {
          'feature?': 'json',
          'lang?': 'string',
          'name?': 'string',
          'uid?': 'string',
          // Required until 1.2, recommended since.
          vendor_name: 'string',
          'version?': 'string',
        },
        atLeastOne: ['name', 'uid'],
      },
    },
    'profiles?': STRINGS,
    'sequence?': 'integer',
    'tenant_uid?': 'string',
    'uid?': 'string',
    version: 'string',
  },
}

const SEVERITIES = {
  enum: UNKNOWN_OR({
    1: 'Informational',
    2: 'Low',
    3: 'Medium',
    4: 'High',
    5: 'Critical',
    6: 'Fatal',
  }),
  sibling: 'severity',
} as const
const STATUSES = { enum: UNKNOWN_OR({ 1: 'Success', 2: 'Failure' }), sibling: 'status' } as const
const FINDING_STATUSES = {
  enum: UNKNOWN_OR({ 1: 'New', 2: 'In Progress', 3: 'Suppressed', 4: 'Resolved' }),
  sibling: 'status',
} as const

/** An event class; what all of them have comes with it. */
export interface OcsfClass extends OcsfType {
  readonly caption: string
  readonly category: readonly [uid: number, caption: string]
  readonly activities: Readonly<Record<number, string>>
}

function eventClass(
  caption: string,
  category: OcsfClass['category'],
  activities: Readonly<Record<number, string>>,
  attributes: OcsfType['attributes'],
  atLeastOne?: readonly string[],
): OcsfClass {
  const all = UNKNOWN_OR(activities)
  return {
    caption,
    category,
    activities: all,
    attributes: {
      activity_id: { enum: all, sibling: 'activity_name' },
      'activity_name?': 'string',
      category_uid: 'integer',
      'category_name?': 'string',
      class_uid: 'integer',
      'class_name?': 'string',
      type_uid: 'long',
      'type_name?': 'string',
      severity_id: SEVERITIES,
      'severity?': 'string',
      'status_id?': STATUSES,
      'status?': 'string',
      'status_code?': 'string',
      'status_detail?': 'string',
      time: 'timestamp',
      'message?': 'string',
      metadata: { object: METADATA },
      'raw_data?': 'string',
      'unmapped?': 'json',
      ...attributes,
    },
    ...(atLeastOne && { atLeastOne }),
  }
}

const IAM = [3, 'Identity & Access Management'] as const
/** Recommended or optional in the classes of this category that we use. */
const IAM_CONTEXT = {
  'actor?': { object: ACTOR },
  'http_request?': { object: HTTP_REQUEST },
  'src_endpoint?': { object: NETWORK_ENDPOINT },
} as const

const EVIDENCE: OcsfType = {
  attributes: {
    'actor?': { object: ACTOR },
    'data?': 'json',
    'src_endpoint?': { object: NETWORK_ENDPOINT },
  },
  atLeastOne: [
    'actor',
    'api',
    'connection_info',
    'data',
    'device',
    'dst_endpoint',
    'file',
    'src_endpoint',
    'url',
  ],
}

export const OCSF_1_3_0: Readonly<Record<number, OcsfClass>> = {
  2004: eventClass(
    'Detection Finding',
    [2, 'Findings'],
    { 1: 'Create', 2: 'Update', 3: 'Close' },
    {
      'status_id?': FINDING_STATUSES,
      finding_info: {
        object: {
          attributes: {
            'created_time?': 'timestamp',
            'desc?': 'string',
            title: 'string',
            'types?': STRINGS,
            uid: 'string',
          },
        },
      },
      'evidences?': { list: { object: EVIDENCE } },
    },
  ),
  3001: eventClass(
    'Account Change',
    IAM,
    {
      1: 'Create',
      2: 'Enable',
      3: 'Password Change',
      4: 'Password Reset',
      5: 'Disable',
      6: 'Delete',
      7: 'Attach Policy',
      8: 'Detach Policy',
      9: 'Lock',
      10: 'MFA Factor Enable',
      11: 'MFA Factor Disable',
    },
    { ...IAM_CONTEXT, user: { object: USER } },
  ),
  3002: eventClass(
    'Authentication',
    IAM,
    {
      1: 'Logon',
      2: 'Logoff',
      3: 'Authentication Ticket',
      4: 'Service Ticket Request',
      5: 'Service Ticket Renew',
      6: 'Preauth',
    },
    {
      ...IAM_CONTEXT,
      'is_mfa?': 'boolean',
      'is_remote?': 'boolean',
      'service?': { object: SERVICE },
      'session?': { object: SESSION },
      user: { object: USER },
    },
    ['service', 'dst_endpoint'],
  ),
  3004: eventClass(
    'Entity Management',
    IAM,
    {
      1: 'Create',
      2: 'Read',
      3: 'Update',
      4: 'Delete',
      5: 'Move',
      6: 'Enroll',
      7: 'Unenroll',
      8: 'Enable',
      9: 'Disable',
      10: 'Activate',
      11: 'Deactivate',
      12: 'Suspend',
      13: 'Resume',
    },
    {
      ...IAM_CONTEXT,
      'comment?': 'string',
      entity: {
        object: {
          attributes: {
            'name?': 'string',
            'type?': 'string',
            'type_id?': {
              enum: UNKNOWN_OR({
                1: 'Device',
                2: 'User',
                3: 'Group',
                4: 'Organization',
                5: 'Policy',
                6: 'Email',
              }),
              sibling: 'type',
            },
            'uid?': 'string',
            'version?': 'string',
          },
          atLeastOne: ['name', 'uid', 'device', 'group', 'org', 'policy', 'user'],
        },
      },
    },
  ),
  3005: eventClass(
    'User Access Management',
    IAM,
    { 1: 'Assign Privileges', 2: 'Revoke Privileges' },
    { ...IAM_CONTEXT, privileges: STRINGS, user: { object: USER } },
  ),
  6003: eventClass(
    'API Activity',
    [6, 'Application Activity'],
    { 1: 'Create', 2: 'Read', 3: 'Update', 4: 'Delete' },
    {
      actor: { object: ACTOR },
      api: {
        object: {
          attributes: { operation: 'string', 'service?': { object: SERVICE }, 'version?': 'string' },
        },
      },
      'http_request?': { object: HTTP_REQUEST },
      src_endpoint: { object: NETWORK_ENDPOINT },
    },
  ),
}
