import { z } from '@hono/zod-openapi';
import { json, operation } from '../answer/operation.ts';
import { jsonBody } from '../request/json-body.ts';
import { nextCursor, pageQuery } from '../request/paging.ts';
import { namespaceParams, triggerParams } from '../request/params.ts';
import { triggerAnswer } from './answer.ts';
import { triggerCreate, triggerPatch } from './fields.ts';

const triggerList = z.object({ items: z.array(triggerAnswer), next: nextCursor }).openapi('TriggerList');

const LIST = '/v1/namespaces/{ns}/triggers' as const;
const ONE = '/v1/namespaces/{ns}/triggers/{name}' as const;
const tags = ['triggers'];
const BODY = ['InvalidRequest', 'PayloadTooLarge', 'UnsupportedMediaType'] as const;

export const listTriggersRoute = operation(['NamespaceNotFound', 'InvalidRequest', 'Gone'], {
  method: 'get',
  path: LIST,
  operationId: 'listTriggers',
  tags,
  summary: 'Lists triggers by name, a page at a time.',
  request: { params: namespaceParams, query: pageQuery },
  responses: { 200: json('A page of triggers.', triggerList) },
});

export const createTriggerRoute = operation(['NamespaceNotFound', 'AlreadyExists', 'Conflict', ...BODY], {
  method: 'post',
  path: LIST,
  operationId: 'createTrigger',
  tags,
  summary: 'Declares a trigger. Its function may come later.',
  request: {
    params: namespaceParams,
    body: { required: true, content: { 'application/json': { schema: triggerCreate } } },
  },
  middleware: jsonBody,
  responses: { 201: json('The trigger is declared.', triggerAnswer) },
});

export const getTriggerRoute = operation(['NamespaceNotFound', 'NotFound', 'InvalidRequest'], {
  method: 'get',
  path: ONE,
  operationId: 'getTrigger',
  tags,
  summary: 'Shows a trigger.',
  request: { params: triggerParams },
  responses: { 200: json('The trigger.', triggerAnswer) },
});

export const patchTriggerRoute = operation(['NamespaceNotFound', 'NotFound', 'Conflict', ...BODY], {
  method: 'patch',
  path: ONE,
  operationId: 'patchTrigger',
  tags,
  summary: 'Changes a trigger: each named field is replaced whole, null brings back its default.',
  description: 'Type and function cannot be changed: they are what the trigger is.',
  request: {
    params: triggerParams,
    body: { required: true, content: { 'application/json': { schema: triggerPatch } } },
  },
  middleware: jsonBody,
  responses: { 200: json('The trigger as it is wanted now.', triggerAnswer) },
});

export const deleteTriggerRoute = operation(['NamespaceNotFound', 'NotFound', 'Conflict', 'InvalidRequest'], {
  method: 'delete',
  path: ONE,
  operationId: 'deleteTrigger',
  tags,
  summary: 'Deletes a trigger.',
  request: { params: triggerParams },
  responses: { 204: { description: 'The trigger is gone.' } },
});
