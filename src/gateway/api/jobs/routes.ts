import { z } from '@hono/zod-openapi';
import { json, operation } from '../answer/operation.ts';
import { jsonBody } from '../request/json-body.ts';
import { nextCursor, pageQuery } from '../request/paging.ts';
import { jobParams, namespaceParams } from '../request/params.ts';
import { jobAnswer } from './answer.ts';
import { jobCreate, jobPatch } from './fields.ts';

const jobList = z.object({ items: z.array(jobAnswer), next: nextCursor }).openapi('JobList');
const deleting = z
  .object({ message: z.string() })
  .openapi('JobDeleting', { example: { message: 'deleted; its run is still ending' } });

const LIST = '/v1/namespaces/{ns}/jobs' as const;
const ONE = '/v1/namespaces/{ns}/jobs/{name}' as const;
const tags = ['jobs'];
const BODY = ['InvalidRequest', 'PayloadTooLarge', 'UnsupportedMediaType'] as const;

export const listJobsRoute = operation(['NamespaceNotFound', 'InvalidRequest', 'Gone'], {
  method: 'get',
  path: LIST,
  operationId: 'listJobs',
  tags,
  summary: 'Lists jobs by name, a page at a time.',
  request: { params: namespaceParams, query: pageQuery },
  responses: { 200: json('A page of jobs.', jobList) },
});

export const createJobRoute = operation(['NamespaceNotFound', 'AlreadyExists', 'Conflict', ...BODY], {
  method: 'post',
  path: LIST,
  operationId: 'createJob',
  tags,
  summary:
    'Declares a job. With a run_id above 0 it runs as soon as its function is built; without one, nothing is run.',
  request: {
    params: namespaceParams,
    body: { required: true, content: { 'application/json': { schema: jobCreate } } },
  },
  middleware: jsonBody,
  responses: { 201: json('The job is declared.', jobAnswer) },
});

export const getJobRoute = operation(['NamespaceNotFound', 'NotFound', 'InvalidRequest'], {
  method: 'get',
  path: ONE,
  operationId: 'getJob',
  tags,
  summary: 'Shows a job and its last run.',
  request: { params: jobParams },
  responses: { 200: json('The job.', jobAnswer) },
});

export const patchJobRoute = operation(['NamespaceNotFound', 'NotFound', 'Conflict', ...BODY], {
  method: 'patch',
  path: ONE,
  operationId: 'patchJob',
  tags,
  summary: 'Changes a job: each named field is replaced whole, null brings back its default.',
  description:
    'A higher run_id than any before runs again, in place of a run that is still going; a lower one runs nothing. The function cannot be changed.',
  request: {
    params: jobParams,
    body: { required: true, content: { 'application/json': { schema: jobPatch } } },
  },
  middleware: jsonBody,
  responses: { 200: json('The job as it is wanted now.', jobAnswer) },
});

export const deleteJobRoute = operation(['NamespaceNotFound', 'NotFound', 'Conflict', 'InvalidRequest'], {
  method: 'delete',
  path: ONE,
  operationId: 'deleteJob',
  tags,
  summary: 'Deletes a job, ends what runs of it, and waits until that has ended.',
  request: { params: jobParams },
  responses: {
    204: { description: 'The job is gone and nothing of it runs any more.' },
    202: json('The job is deleted; its run is still ending.', deleting),
  },
});
