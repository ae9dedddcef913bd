/** The version of the Open Cybersecurity Schema Framework (schema.ocsf.io) that events are written in. */
export const OCSF_VERSION = '1.3.0'

const FINDINGS = { uid: 2, name: 'Findings' } as const
const IAM = { uid: 3, name: 'Identity & Access Management' } as const
const APPLICATION = { uid: 6, name: 'Application Activity' } as const

/** The id of an activity that a class does not define; our name for it is sent alongside. */
const OTHER = 99

/** The classes that our actions map to, with the activities that we use. */
export const OCSF_CLASSES = {
  finding: {
    uid: 2004,
    name: 'Detection Finding',
    category: FINDINGS,
    activities: { Create: 1 },
  },
  accountChange: {
    uid: 3001,
    name: 'Account Change',
    category: IAM,
    activities: {
      Create: 1,
      Enable: 2,
      'Password Change': 3,
      'Password Reset': 4,
      Disable: 5,
      Delete: 6,
      'MFA Factor Enable': 10,
      'MFA Factor Disable': 11,
    },
  },
  authentication: {
    uid: 3002,
    name: 'Authentication',
    category: IAM,
    activities: { Logon: 1, Logoff: 2 },
  },
  entityManagement: {
    uid: 3004,
    name: 'Entity Management',
    category: IAM,
    activities: {
      Create: 1,
      Read: 2,
      Update: 3,
      Delete: 4,
      Move: 5,
      Activate: 10,
      Suspend: 12,
      Resume: 13,
    },
  },
  userAccess: {
    uid: 3005,
    name: 'User Access Management',
    category: IAM,
    activities: { 'Assign Privileges': 1, 'Revoke Privileges': 2 },
  },
  apiActivity: {
    uid: 6003,
    name: 'API Activity',
    category: APPLICATION,
    activities: { Create: 1, Read: 2, Update: 3, Delete: 4 },
  },
} as const

export type OcsfClassName = keyof typeof OCSF_CLASSES

/** An activity of a class, or our name for one that the class does not define. */
export type OcsfActivity<C extends OcsfClassName = OcsfClassName> = ActivityOf<C> | { readonly other: string }

type ActivityOf<C> = C extends OcsfClassName ? keyof (typeof OCSF_CLASSES)[C]['activities'] : never

/** The fields that all events of this class and activity have. */
export function classificationOf(className: OcsfClassName, activity: OcsfActivity) {
  const { uid, name, category, activities } = OCSF_CLASSES[className]
  const isOther = typeof activity === 'object'
  const activityName = isOther ? activity.other : activity
  const activityId = isOther ? OTHER : ((activities as Record<string, number>)[activity] as number)
  return {
    category_uid: category.uid,
    category_name: category.name,
    class_uid: uid,
    class_name: name,
    activity_id: activityId,
    activity_name: activityName,
    type_uid: uid * 100 + activityId,
    type_name: `${name}: ${isOther ? 'Other' : activityName}`,
  }
}
