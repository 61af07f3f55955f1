export * from 'eventsource-parser';
